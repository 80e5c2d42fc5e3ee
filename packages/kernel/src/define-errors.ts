import { FairleadError, isFairleadError } from "./errors.ts";

/** The errors of one room, each under its code. A word in braces in message or hint is given where the error is made. */
export type ErrorTable = Readonly<Record<string, ErrorRow>>;

interface ErrorRow {
  readonly message: string;
  readonly hint?: string;
  /** For docs/errors.md, where the message is only about one case: what the code means in general. */
  readonly meaning?: string;
  /** For docs/errors.md, where the hint is missing or only about one case: what to do in general. */
  readonly remedy?: string;
  readonly httpStatus?: number;
  readonly retryable?: boolean;
}

/** Has one function for each code of the table. */
export type Errors<Table extends ErrorTable> = {
  readonly [Code in keyof Table]: (...details: Details<Table[Code]>) => FairleadError;
} & Codes<keyof Table & string>;

export interface Codes<Code extends string> {
  /** True for an error with one of these codes; without codes, with any of the table's. */
  is<Wanted extends Code>(thrown: unknown, ...codes: readonly Wanted[]): thrown is Coded<Wanted>;
}

/** Different for each code, so that an error which isn't `Coded<"X">` is still a FairleadError. */
type Coded<Code extends string> = FairleadError & { readonly [known]: Code };

declare const known: unique symbol;

type Details<Row extends ErrorRow> = [Words<Row>] extends [never]
  ? [details?: Circumstances]
  : [details: Readonly<Record<Words<Row>, string | number | bigint>> & Circumstances];

/** Where a row isn't enough: what the error comes from, and what depends on that. */
interface Circumstances {
  readonly cause?: unknown;
  readonly hint?: string | undefined;
  readonly httpStatus?: number | undefined;
  readonly retryable?: boolean | undefined;
}

type Words<Row extends ErrorRow> = WordsIn<Row["message"]> | WordsIn<Row["hint"]>;

type WordsIn<Text> = Text extends `${string}{${infer Word}}${infer Rest}` ? Word | WordsIn<Rest> : never;

export function defineErrors<const Table extends ErrorTable>(table: Table): Errors<Table> {
  const factories = Object.entries(table).map(([code, row]) => [
    code,
    ({ cause, ...details }: Circumstances & Readonly<Record<string, unknown>> = {}): FairleadError =>
      new FairleadError({
        code,
        message: fill(row.message, details),
        hint: row.hint === undefined ? details.hint : fill(row.hint, details),
        httpStatus: details.httpStatus ?? row.httpStatus,
        retryable: details.retryable ?? row.retryable,
        cause,
      }),
  ]);
  return { ...Object.fromEntries(factories), ...defineCodes(Object.keys(table)) } as Errors<Table>;
}

/** For errors that are made elsewhere and come over the wire. */
export function defineCodes<const Code extends string>(all: readonly Code[]): Codes<Code> {
  return {
    is<Wanted extends Code>(thrown: unknown, ...codes: readonly Wanted[]): thrown is Coded<Wanted> {
      const wanted: readonly string[] = codes.length > 0 ? codes : all;
      return isFairleadError(thrown) && wanted.includes(thrown.code);
    },
  };
}

/** In one pass: braces in what is filled in mean nothing. */
function fill(text: string, details: Readonly<Record<string, unknown>>): string {
  return text.replace(/\{(\w+)\}/g, (_, word: string) => String(details[word]));
}
