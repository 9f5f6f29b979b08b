import { expect, test } from '@jest/globals';
import { htmlHead } from './html-head.js';

test('escapes the title, keeps the order of styles, and has noindex unless it may be indexed', () => {
  const head = htmlHead({
    title: 'A & <B> "C"',
    styles: ['/a.css', '/b.css'],
    more: ['<script src="/c.js"></script>'],
  });
  expect(head).toMatch(/^<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">/);
  expect(head).toContain('<title>A &amp; &lt;B&gt; &quot;C&quot;</title>');
  expect(head).toContain(
    '<link rel="stylesheet" href="/a.css">\n<link rel="stylesheet" href="/b.css">\n' +
      '<script src="/c.js"></script>\n</head>\n',
  );
  expect(head).toContain('noindex');
  expect(htmlHead({ title: 'A', styles: [], indexed: true })).not.toContain('noindex');
});
