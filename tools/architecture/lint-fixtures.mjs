// Lints sources that do not exist on disk, as if they stood in the files named: `node lint-fixtures.mjs '[{ "file",
// "text" }]'`. Prints, per source, the rules that were broken. A process of its own, since ESLint keeps what it has
// read of a project.
import { fileURLToPath } from 'node:url';
import { ESLint } from 'eslint';

const eslint = new ESLint({ cwd: fileURLToPath(new URL('../..', import.meta.url)) });
/** @type {{ file: string, text: string }[]} */
const sources = JSON.parse(process.argv[2] ?? '[]');
const broken = [];
for (const { file, text } of sources) {
  const [result] = await eslint.lintText(text, { filePath: file });
  broken.push((result?.messages ?? []).map(({ ruleId, message }) => ruleId ?? message));
}
process.stdout.write(JSON.stringify(broken));
