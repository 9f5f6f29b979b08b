import { expect, test } from '@jest/globals';
import { escape, html } from './html.ts';

test('what a customer types stays text', () => {
  const name = `<img src=x onerror="alert(1)">&'\``;
  const page = html`<p title="${name}">${name}</p>`.text;
  expect(page.replace(/^<p title="|<\/p>$/g, '')).not.toMatch(/[<'`]|"(?!>)/);
  expect(escape('a & b')).toBe('a &#38; b');
});

test('pieces are put together as they are, and what is absent leaves nothing', () => {
  expect(html`<ul>${['a', '<b>'].map((x) => html`<li>${x}</li>`)}</ul>${undefined}${false}${null}${0}`.text).toBe(
    '<ul><li>a</li><li>&#60;b&#62;</li></ul>0',
  );
});
