import { expect, test } from '@jest/globals';
import { debianMirrors } from './nats-debian.ts';

test('returns the Debian mirror of the machine once, and no other source', () => {
  const lines = [
    'http://debian.example/security/ bookworm-security main',
    'http://vendor.example/apt/ nodistro main',
    'http://debian.example/debian/ bookworm main',
    'http://debian.example/debian/ bookworm-updates main',
    'http://debian.example/debian/ trixie main',
    'http://other.example/debian/ sid contrib',
    '',
  ];
  expect(debianMirrors(lines.join('\n'))).toEqual(['http://debian.example/debian/']);
});

test('returns no mirror on another distribution', () => {
  expect(debianMirrors('http://archive.example/ubuntu/ noble main\n')).toEqual([]);
  expect(debianMirrors('')).toEqual([]);
});
