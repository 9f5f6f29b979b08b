import { z } from 'zod';

/** `<name>=<value>`, separated; each name once. A value may contain `=`. */
const pairs = (separator: ',' | ';') =>
  z
    .string()
    .transform((text) =>
      text
        .split(separator)
        .filter((pair) => pair.trim() !== '')
        .map((pair) => pair.split(/=(.*)/s, 2).map((side) => side.trim()) as [string, string]),
    )
    .refine((found) => new Set(found.map(([name]) => name)).size === found.length, 'must have each name once');

/** A setting such as `eu2=nats://a:4222;eu3=nats://b:4222`. */
export const namedValues = (name: z.ZodType<string, string>, value: z.ZodType<string, string>) =>
  pairs(';')
    .pipe(z.array(z.tuple([name, value])))
    .transform((found) => Object.fromEntries(found));

const limit = z.coerce.number().int().min(1).max(1_000_000_000);

/** A setting such as `claim=1200,read=60000`: limits that override defaults, for some of the names. */
export const namedLimits = <Name extends string>(names: readonly Name[], unit: string) =>
  pairs(',').transform((found, context) => {
    for (const [name = '', value] of found) {
      if (!(names as readonly string[]).includes(name))
        context.addIssue({
          code: 'custom',
          message: `does not know ${JSON.stringify(name)}; it knows ${names.join(', ')}`,
        });
      else if (!limit.safeParse(value).success)
        context.addIssue({ code: 'custom', message: `${name} must be a whole number of ${unit}, 1 or more` });
    }
    return Object.fromEntries(found.map(([name, value]) => [name, Number(value)])) as Partial<Record<Name, number>>;
  });
