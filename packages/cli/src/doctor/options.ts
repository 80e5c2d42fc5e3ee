/** As they are typed. */
export interface DoctorOptions {
  readonly kubeconfig?: string;
  /** Of the kubeconfig. */
  readonly context?: string | undefined;
  readonly namespaces?: string;
  /** In milliseconds. */
  readonly timeout: number;
  readonly from?: string;
  readonly complete?: boolean;
  readonly profile?: string;
  readonly type?: string;
  readonly only?: string;
  readonly junit?: boolean;
  readonly sarif?: boolean;
  readonly fix?: boolean;
}

/** `a, b` as its parts. */
export function splitNames(text: string | undefined): string[] | undefined {
  return text
    ?.split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
