import { open } from 'node:fs/promises';
import type { Command } from 'commander';
import { addCommand, type Json } from '../add-command.js';
import { CommandError } from '../command-error.js';
import { show, table } from '../output.js';
import { makeBundle, type Part } from '../support-bundle/bundle.js';

interface BundleOptions extends Json {
  out?: string;
}

export function supportBundleCommand(program: Command): void {
  addCommand(
    program,
    'support-bundle',
    'write an archive about this deployment that can be sent to support: versions, settings, metrics and state of ' +
      'each replica, findings of doctor, streams, tables; without secrets, ids, names, hosts and rows. With ' +
      'NATS_DEPLOY_NKEY_SEED and DATABASE_URL as doctor. What is not available is left out',
    ['support-bundle', 'support-bundle --out /tmp/bundle.tar.gz', 'support-bundle --out - > bundle.tar.gz'],
  )
    .option(
      '--out <file>',
      'a file that does not exist yet, or - for standard output (default: holdfast-<time>.tar.gz)',
    )
    .action(async ({ json, out }: BundleOptions) => {
      const at = new Date();
      const file = out ?? `holdfast-${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.tar.gz`;
      if (file === '-') {
        const { archive, parts } = await makeBundle(at);
        process.stderr.write(`${contents(parts)}\n`);
        return new Promise<void>((resolve, reject) => {
          process.stdout.write(archive, (error) => (error ? reject(error) : resolve()));
        });
      }
      // Before anything is collected; it fails if the file exists.
      const handle = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
        throw new CommandError(
          error.code === 'EEXIST'
            ? `${file} exists, and nothing was written. Name another file with --out.`
            : `${file} cannot be written: ${error.message}. Name another file with --out.`,
        );
      });
      try {
        const { archive, parts } = await makeBundle(at);
        await handle.writeFile(archive);
        show({ file, bytes: archive.length, parts }, json, () =>
          [contents(parts), '', `${file}: ${archive.length} bytes. Look into it before you send it.`].join('\n'),
        );
      } finally {
        await handle.close();
      }
    });
}

function contents(parts: Part[]): string {
  return table(
    ['FILE', 'BYTES', 'MISSING'],
    parts.map(({ file, bytes, missing = '' }) => [file, String(bytes), missing]),
  );
}
