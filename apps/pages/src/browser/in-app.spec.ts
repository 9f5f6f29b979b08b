import { expect, test } from '@jest/globals';
import { isInAppBrowser } from './in-app.ts';

const webKit = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
const iPhone = `Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) ${webKit}`;

test.each([
  ['a web view of iOS', `${iPhone} Mobile/15E148`],
  ['Instagram on iOS', `${iPhone} Mobile/15E148 Instagram 380.0.0`],
  [
    'a web view of Android',
    'Mozilla/5.0 (Linux; Android 16; Pixel 9 Build/AP1A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 ' +
      'Chrome/142.0.0.0 Mobile Safari/537.36',
  ],
  ['Facebook', `${iPhone} Mobile/15E148 [FBAN/FBIOS;FBAV/500.0]`],
])('%s is part of another app', (_, userAgent) => expect(isInAppBrowser(userAgent)).toBe(true));

test.each([
  ['Safari on iOS', `${iPhone} Version/19.1 Mobile/15E148 Safari/604.1`],
  ['Chrome on iOS', `${iPhone} CriOS/142.0 Mobile/15E148 Safari/604.1`],
  [
    'Chrome on Android',
    'Mozilla/5.0 (Linux; Android 16; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
  ],
  ['Firefox', 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'],
  ['Safari on macOS', `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webKit} Version/19.1 Safari/605.1.15`],
])('%s is a browser of its own', (_, userAgent) => expect(isInAppBrowser(userAgent)).toBe(false));
