export const templateLimits: {
  readonly templates: number;
  /** A template as JSON. */
  readonly bytes: number;
  /** How deep lists and objects of a spec or of values may lie in each other. */
  readonly depth: number;
  readonly parameters: number;
  /** Schemas within the schema of the parameters. */
  readonly schemas: number;
  readonly schemaDepth: number;
  readonly placeholders: number;
  /** The values of one use as JSON. */
  readonly valueBytes: number;
  /** Characters of a pattern; and of a text that has to match one. */
  readonly patternLength: number;
  readonly matchedLength: number;
} = {
  templates: 500,
  bytes: 256 * 1024,
  depth: 64,
  parameters: 64,
  schemas: 500,
  schemaDepth: 8,
  placeholders: 500,
  valueBytes: 64 * 1024,
  patternLength: 200,
  matchedLength: 1_024,
};
