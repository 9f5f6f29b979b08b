import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const clone = fileURLToPath(new URL('../..', import.meta.url));

export interface Commit {
  /** 40 hexadecimal digits; empty outside of a clone. */
  hash: string;
  /** Whether the work tree differs from it. */
  isChanged: boolean;
}

export function commitOfClone(): Commit {
  return { hash: git('rev-parse', 'HEAD'), isChanged: git('status', '--porcelain') !== '' };
}

/** @param reference such as a branch or the beginning of a hash. @returns its 40 digits, or undefined */
export function resolveCommit(reference: string): string | undefined {
  return git('rev-parse', '--verify', '--quiet', '--end-of-options', `${reference}^{commit}`) || undefined;
}

function git(...args: string[]): string {
  return spawnSync('git', args, { cwd: clone, encoding: 'utf8' }).stdout?.trim() ?? '';
}
