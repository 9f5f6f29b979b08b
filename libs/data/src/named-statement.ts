import { statement, type Statement } from './database.js';

/** What is passed for a parameter of a type of PostgreSQL. JSON is passed as text. */
interface ValueOfType {
  text: string;
  uuid: string;
  json: string;
  smallint: number;
  int: number;
  bigint: number;
  boolean: boolean;
  timestamptz: Date | string;
  bytea: Buffer;
}
type TypeName = keyof ValueOfType;
type Nullable<Value> = Value | null | undefined;

/** The type of a column, and its value in a row. */
type Column<Row> = {
  [Type in TypeName]: readonly [type: Type, value: (row: Row) => Nullable<ValueOfType[Type]>];
}[TypeName];

/** Rows of a set-based statement, which are passed as one array per column. */
export interface Columns<Row> {
  readonly all: ReadonlyMap<string, Column<Row>>;
}

/** Each column has its type and its value, so that a new column is one line. */
export function columns<Row>(all: Readonly<Record<string, Column<Row>>>): Columns<Row> {
  return { all: new Map(Object.entries(all)) };
}

/** A parameter is a value, an array, or rows. */
type Parameter = TypeName | `${TypeName}[]` | Columns<never>;
type Parameters = Readonly<Record<string, Parameter>>;

type ValueOf<P extends Parameter> =
  P extends Columns<infer Row>
    ? readonly Row[]
    : P extends TypeName
      ? Nullable<ValueOfType[P]>
      : P extends `${infer Type extends TypeName}[]`
        ? Nullable<readonly ValueOfType[Type][]>
        : never;

/** How the text of a statement refers to rows. */
class RowsInText {
  private readonly parameters: ReadonlyMap<string, string>;

  constructor(types: ReadonlyMap<string, TypeName>, nextNumber: () => number) {
    this.parameters = new Map([...types].map(([name, type]) => [name, `$${nextNumber()}::${type}[]`]));
  }

  /** The columns in order. */
  get names(): string {
    return [...this.parameters.keys()].join(', ');
  }

  /** The rows as a table that is named `alias`, with all columns or some of them. */
  unnest(alias: string, names: readonly string[] = [...this.parameters.keys()]): string {
    return `unnest(${names.map((name) => this.arrayOf(name)).join(', ')}) AS ${alias}(${names.join(', ')})`;
  }

  /**
   * As `unnest`, with the lengths of the arrays hidden from the planner by SELECTs: it would estimate a special plan
   * for short arrays as cheaper than the generic one, and plan every execution anew.
   */
  unnestOfAnyLength(alias: string): string {
    const arrays = [...this.parameters.values()].map((array) => `(SELECT ${array})`);
    return `unnest(${arrays.join(', ')}) AS ${alias}(${this.names})`;
  }

  private arrayOf(name: string): string {
    const array = this.parameters.get(name);
    if (array === undefined) throw new Error(`there is no column ${name}`);
    return array;
  }
}

type InText<P extends Parameters> = { [Name in keyof P]: P[Name] extends Columns<never> ? RowsInText : string };

/** A statement whose values have names. */
export interface NamedStatement<P extends Parameters> extends Statement {
  /** The values in the order of `$1`, `$2`, … */
  values: (given: { readonly [Name in keyof P]: ValueOf<P[Name]> }) => unknown[];
}

/**
 * A statement whose values have names: `text` is called once and gets, by the same names, `$1`, `$2`, … in the order of
 * `parameters`. The types describe what is passed. PostgreSQL infers its own unless `text` casts.
 */
export function namedStatement<const P extends Parameters>(
  name: string,
  parameters: P,
  text: (inText: InText<P>) => string,
): NamedStatement<P> {
  let number = 0;
  const nextNumber = () => (number += 1);
  const inText = Object.entries(parameters).map(([each, parameter]) => [
    each,
    typeof parameter === 'string'
      ? `$${nextNumber()}`
      : new RowsInText(new Map([...parameter.all].map(([column, [type]]) => [column, type])), nextNumber),
  ]);
  return {
    ...statement(name, text(Object.fromEntries(inText) as InText<P>)),
    values: (given) => Object.entries(parameters).flatMap(([each, parameter]) => valuesOf(parameter, given[each])),
  };
}

/** The columns, and their values, of an INSERT of one row: `(id, org) VALUES ($1, $2)`. */
export function rowOf(inText: Readonly<Record<string, string>>): string {
  return `(${Object.keys(inText).join(', ')}) VALUES (${Object.values(inText).join(', ')})`;
}

/** The arrays of rows, or the one value. */
function valuesOf(parameter: Parameter, given: unknown): unknown[] {
  if (typeof parameter === 'string') return [given];
  return [...parameter.all.values()].map(([, value]) => (given as never[]).map(value as (row: never) => unknown));
}
