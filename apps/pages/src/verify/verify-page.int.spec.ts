import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { edited, type ExportVector } from '@holdfast/testing/audit-export-vectors';
import { checkpointOf, linesOfLog, logOf, newSigner } from '@holdfast/testing/exported-log';
import { formatVerifierKey } from '@holdfast/tlog';
import { PagesInBrowser, verify } from '../pages-in-browser.fixture.ts';

const suite = process.env.HOLDFAST_NO_BROWSER === '1' ? describe.skip : describe;

const signer = newSigner();
const entries = logOf(300);
const note = checkpointOf(entries, signer);
const linesOf = (log: typeof entries) => linesOfLog(log, note).map((line) => JSON.stringify(line));
const fileOf = (lines: readonly string[]) => ({
  name: 'acme.ndjson',
  mimeType: 'application/x-ndjson',
  buffer: Buffer.from(lines.map((line) => `${line}\n`).join('')),
});

suite('the page that verifies audit logs', () => {
  const pages = new PagesInBrowser();

  const submit = (log: typeof entries, keys = formatVerifierKey(signer.key)) => submitLines(linesOf(log), keys);
  const submitLines = async (lines: readonly string[], keys: string) => {
    await pages.page.getByLabel('File').setInputFiles(fileOf(lines));
    await pages.page.getByLabel('Verifier key of the log').fill(keys);
    await pages.press('Verify');
  };

  test('verifies a file with a kept checkpoint, sends nothing, and moves the focus to the verdict', async () => {
    await pages.page.goto(pages.base + verify);
    await pages.page.getByText('Checkpoint and witnesses').click();
    await pages.page.getByLabel('Checkpoint that you kept').fill(note);
    const requests: string[] = [];
    pages.page.context().on('request', (request) => requests.push(request.url()));
    await submit(entries);
    await pages.heading('Verified');
    expect(await pages.focused()).toBe('H1');
    expect(await pages.page.locator('dd').allInnerTexts()).toEqual([
      'id.example/o/acme/audit',
      '300',
      `300 entries, root ${note.split('\n')[2]}`,
      'that you gave',
    ]);
    // Only the script of the worker, which the page has loaded before.
    expect(requests.filter((url) => !/\/pages\/verify-\w+\.js$/.test(url))).toEqual([]);
    expect(pages.service.requests).toEqual([]);
  });

  test('says what does not match and where, keeps what was typed, and verifies the next file', async () => {
    await pages.page.goto(pages.base + verify);
    await submit(entries.toSpliced(16, 1));
    await pages.heading('Does not verify');
    expect(await pages.page.locator('li').first().innerText()).toBe('Entry 17 is missing: 16 is followed by 18.');
    await pages.press('Verify another file');
    expect(await pages.page.getByLabel('Verifier key of the log').inputValue()).toBe(formatVerifierKey(signer.key));
    await submit(entries, 'x');
    await pages.heading('Cannot be decided');
    await pages.press('Verify another file');
    await submit(entries);
    await pages.heading('Verified');
  });

  // The library decides all of them in its own tests; here the worker, the form and the page around it are shown.
  test('decides every fourth documented test vector as the command line does', async () => {
    const docs = join(import.meta.dirname, '../../../../docs/audit-export-vectors');
    const all = JSON.parse(readFileSync(join(docs, 'vectors.json'), 'utf8')) as { vectors: ExportVector[] };
    const vectors = all.vectors.filter((_, i) => i % 4 === 0);
    expect(new Set(vectors.map(({ expected }) => expected.verdict)).size).toBe(3);
    const lines = readFileSync(join(docs, 'log.ndjson'), 'utf8').trimEnd().split('\n');
    // The page shows apart what an erasure or an older version can explain; the vectors do not.
    const refuted: unknown = expect.stringMatching(/^(Does not verify|Cannot be proven in full)$/);
    const headings = { verified: 'Verified', refuted, undecided: 'Cannot be decided' };
    const results: object[] = [];
    await pages.page.goto(pages.base + verify);
    await pages.page.getByText('Checkpoint and witnesses').click();
    for (const { name, edits, keys, checkpoint = '', witnesses = [], quorum } of vectors) {
      await pages.page.getByLabel('Checkpoint that you kept').fill(checkpoint);
      await pages.page.getByLabel('Verifier keys of witnesses').fill(witnesses.join('\n'));
      await pages.page.getByLabel('How many witnesses').fill(quorum === undefined ? '' : String(quorum));
      await submitLines(edited(lines, edits), keys.join('\n'));
      const again = pages.page.getByRole('button', { name: 'Verify another file' });
      await again.waitFor();
      const heading = await pages.page.locator('h1').innerText();
      const message = await pages.page.locator(heading === 'Cannot be decided' ? 'p' : 'li').allInnerTexts();
      // What the page remarks about a log that it has verified is not in the vectors.
      results.push({ name, heading, message: heading === 'Verified' ? undefined : message[0] });
      await again.click();
    }
    expect(results).toEqual(
      vectors.map(({ name, expected: { verdict, message } }) => ({
        name,
        heading: headings[verdict],
        message:
          message === undefined
            ? undefined
            : expect.stringContaining(message.replace('LOG', 'acme.ndjson').replace('CHECKPOINT', 'that you gave')),
      })),
    );
  });

  test('neither the page nor its worker may connect, to its own server either', async () => {
    await pages.page.goto(pages.base + verify);
    expect(await pages.page.evaluate(() => fetch('/there').then(String, () => 'refused'))).toBe('refused');
    const script = await pages.page.locator('script').getAttribute('src');
    const [response] = await Promise.all([pages.page.request.get(`${pages.base}${script}`)]);
    expect(response.headers()['content-security-policy']).toBe("default-src 'none'");
    pages.expectConsoleErrors(/Content Security Policy/);
  });
});
