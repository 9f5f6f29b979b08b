import { expect, test } from '@jest/globals';
import { shopProgram } from './examples.ts';
import { plainAddress } from './public-address.ts';

const baseUrl = 'http://localhost:8080';
const ports = { shop: 4000, kiosk: 4001 };

test('the shop has its own settings and the declared ones, and no secrets of the shell', () => {
  const caller = { SHOP_SESSION_SECRET: 's', SHOP_DATA: '/data', LOG_LEVEL: 'debug', AWS_SECRET: 'x' };
  const { env } = shopProgram(plainAddress(baseUrl), ports, caller, new Set(['LOG_LEVEL']));
  expect(env).toMatchObject({
    SHOP_SESSION_SECRET: 's',
    SHOP_DATA: '/data',
    SHOP_PORT: '4000',
    KIOSK_PORT: '4001',
    LOG_LEVEL: 'debug',
  });
  expect(env).not.toHaveProperty('AWS_SECRET');
});

test('the shop generates its session secret itself when none is set', () => {
  expect(shopProgram(plainAddress(baseUrl), ports, {}, new Set()).env).not.toHaveProperty('SHOP_SESSION_SECRET');
});
