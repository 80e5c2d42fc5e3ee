import { isStoreFailure } from "./errors.ts";

/**
 * Writes all rows at once. When the database refuses that, writes one after the other, so that a row which it can't hold
 * keeps no other one out. Throws when the store fails, and what `mustThrow` names.
 */
export async function writeApart<Row>(options: {
  readonly rows: readonly Row[];
  readonly write: (rows: readonly Row[]) => Promise<void>;
  readonly mustThrow?: (error: unknown) => boolean;
  readonly onRefused: (row: Row, error: unknown) => void;
}): Promise<void> {
  const { rows, write, mustThrow, onRefused } = options;
  try {
    await write(rows);
  } catch (error) {
    if (isStoreFailure(error) || mustThrow?.(error)) throw error;
    const [row] = rows;
    if (rows.length > 1) for (const one of rows) await writeApart({ ...options, rows: [one] });
    else if (row !== undefined) onRefused(row, error);
  }
}
