import { spawn } from 'node:child_process';

/**
 * Runs a command without printing its output: prints progress now and then, and the end of the output if it fails.
 * @param {string} name of the work, such as "The build"
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} options
 */
export async function quietly(name, command, args, options) {
  const startedAt = Date.now();
  const seconds = () => `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
  const progress = setInterval(() => console.log(`${name} is still running after ${seconds()}`), 15_000);
  let output = '';
  const status = await new Promise((resolve) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (output = (output + chunk).slice(-100_000)));
    child.on('error', (error) => ((output += error.message), resolve(1)));
    child.on('close', (code) => resolve(code ?? 1));
  });
  clearInterval(progress);
  if (status === 0) return seconds();
  console.error(output.trimEnd().split('\n').slice(-40).join('\n'));
  console.error(`${name} failed after ${seconds()}. The end of its output is above.`);
  return process.exit(1);
}
