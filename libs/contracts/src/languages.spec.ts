import { expect, it } from '@jest/globals';
import { languageOf, languageOfHeader } from './languages.js';

it.each([
  [['de-AT', 'en'], 'de'],
  [['fr', 'DE', 'en'], 'de'],
  [['en-GB', 'de'], 'en'],
  [['fr', 'tlh'], 'en'],
  [[], 'en'],
  [['', '*', 'deutsch', '<script>'], 'en'],
])('the language of %j is %s', (tags, language) => expect(languageOf(tags)).toBe(language));

it.each([
  ['de-CH, de;q=0.9, en;q=0.8', 'de'],
  ['en;q=0.5,de;q=0.9', 'de'],
  ['fr, en;q=0.7, de;q=0.3', 'en'],
  ['de;q=0, en', 'en'],
  ['de;q=0', 'en'],
  ['*', 'en'],
  [undefined, 'en'],
  ['de;q=nonsense;;,,', 'en'],
])('the language of the header %s is %s', (header, language) => expect(languageOfHeader(header)).toBe(language));
