import { expect, test } from '@jest/globals';
import { debianMirrors } from './nats-debian.ts';

test('takes the mirror of Debian that the machine is set up with, once, and no other source', () => {
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

test('finds none on another distribution', () => {
  expect(debianMirrors('http://archive.example/ubuntu/ noble main\n')).toEqual([]);
  expect(debianMirrors('')).toEqual([]);
});
