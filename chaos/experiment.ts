export interface ExperimentOptions {
  readonly seed: number;
  /** As long as the experiment takes by itself unless told. */
  readonly seconds: number | undefined;
  readonly onProgress: (line: string) => void;
}
