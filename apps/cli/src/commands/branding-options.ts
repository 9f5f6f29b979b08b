import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { maxLogoBytes } from '@holdfast/contracts';
import { CommandError } from '../command-error.js';

/** Options about colour and logo. False is for `--no-accent-color` and `--no-logo`. */
export interface BrandingOptions {
  accentColor?: string | false;
  /** Path of a file. */
  logo?: string | false;
}

/** For a command that sets them. */
export function addBrandingOptions(command: Command): Command {
  return command
    .option('--accent-color <color>', 'colour of buttons and links, such as #0b57a4')
    .option('--logo <file>', 'a PNG image, at most 64 KiB, 1024 pixels wide and high');
}

/** For a command that also removes them. `otherwise`: whose colour and logo the pages show then. */
export function addBrandingChanges(command: Command, otherwise: string): Command {
  return addBrandingOptions(command)
    .option('--no-accent-color', `go back to the colour of ${otherwise}`)
    .option('--no-logo', 'remove it');
}

/** The members of a request for these options; null removes. */
export function brandingChangesOf({ accentColor, logo }: BrandingOptions) {
  return {
    ...(accentColor !== undefined && { accentColor: accentColor || null }),
    ...(logo !== undefined && { logo: logo === false ? null : readLogo(logo) }),
  };
}

/** In base64. Directory checks the image; a file that is too large for a request is not even sent. */
export function readLogo(path: string): string {
  const file = readFile(path);
  if (file.length <= maxLogoBytes) return file.toString('base64');
  throw new CommandError(
    `The logo ${path} has ${file.length} bytes; at most ${maxLogoBytes} are allowed. Use a smaller PNG image. ` +
      'Nothing was changed.',
  );
}

function readFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new CommandError(`Cannot read the logo ${path}: ${(error as Error).message}. Nothing was changed.`);
  }
}
