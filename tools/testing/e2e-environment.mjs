// What all files of an end-to-end run share. jest loads this module once, and every test file with modules of its own.
import { TestEnvironment } from 'jest-environment-node';
import { runInOwnHost } from '../../apps/e2e/src/stack/command-line-host.ts';

export default class EndToEndEnvironment extends TestEnvironment {
  /** @override */
  async setup() {
    await super.setup();
    Object.assign(this.global, { runInSharedHost: runInOwnHost });
  }
}
