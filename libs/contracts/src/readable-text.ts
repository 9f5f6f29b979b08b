import { z } from 'zod';

/**
 * Characters that make a text look like another one, or that databases and terminals do not accept: control
 * characters, line separators, invisible spaces, and those that change the direction of writing (Unicode UTS #39).
 */
const deceptive = new RegExp(
  '[\\p{Cc}\\p{Cs}\\p{Co}\\p{Zl}\\p{Zp}\\p{Noncharacter_Code_Point}' +
    '\\u061C\\u200B\\u200E\\u200F\\u202A-\\u202E\\u2060-\\u206F\\uFEFF]',
  'u',
);

/** One line that people read, such as the name of a group. */
export function readableText(maxLength: number) {
  const length = `must have 1 to ${maxLength} characters`;
  return z
    .string()
    .trim()
    .min(1, length)
    .max(maxLength, length)
    .refine((text) => !deceptive.test(text), 'must not have control characters or invisible formatting characters');
}

/** A spreadsheet evaluates text that begins so. No name does, and no address that people use. */
export const formula = /^[=+@-]/;

/** A name that people read, also in exported tables. */
export function readableName(maxLength: number) {
  return readableText(maxLength).refine((name) => !formula.test(name), 'must not begin with =, +, @ or -');
}
