// Packs the chart: `npm run chart -- --help`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { print, warn } from '../infra/console.ts';
import { root } from '../setup/paths.mjs';
import { installHelm } from './helm.ts';
import { packChart } from './pack.ts';

const help = `npm run chart -- [--out FOLDER] [--sign FILE]

Writes to FOLDER (dist/chart):
  holdfast-VERSION.tgz        the archive, for helm install and helm push
  holdfast-VERSION.tgz.prov   its provenance, with --sign: helm verify --keyring FILE holdfast-VERSION.tgz
  oci/                        the same archive as an image layout (OCI), for skopeo and oras

--sign FILE   an armored OpenPGP private key, RSA; its passphrase, if any, is in CHART_KEY_PASSPHRASE`;

try {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: join(root, 'dist', 'chart') },
      sign: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) print(help);
  else {
    await installHelm();
    const passphrase = process.env.CHART_KEY_PASSPHRASE;
    const { files } = await packChart(values.out, {
      ...(values.sign !== undefined && { signingKey: readFileSync(values.sign, 'utf8') }),
      ...(passphrase !== undefined && { passphrase }),
    });
    for (const file of files) print(file);
  }
} catch (error) {
  warn((error as Error).message);
  process.exit(1);
}
