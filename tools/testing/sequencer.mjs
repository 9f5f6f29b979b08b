// The order of the files of a jest run.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** @type {{ default: typeof import('@jest/test-sequencer').default }} */
const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer');

/**
 * Tests that search the whole database come first, while it is small: after those of other files the same search takes
 * ten times as long.
 */
export default class SearchesFirst extends Sequencer {
  /**
   * @override
   * @param {Parameters<InstanceType<typeof Sequencer>['sort']>[0]} tests
   */
  async sort(tests) {
    const sorted = await super.sort(tests);
    return [...sorted.filter(searchesDatabase), ...sorted.filter((test) => !searchesDatabase(test))];
  }
}

/** @param {{ path: string }} test */
function searchesDatabase({ path }) {
  return /\b(rowsOfAllTables|filesOfAllRelations)\(/.test(readFileSync(path, 'utf8'));
}
