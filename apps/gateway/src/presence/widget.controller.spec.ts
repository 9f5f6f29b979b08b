import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { sha256 } from '@holdfast/platform';
import { WidgetController } from './widget.controller.js';
import { readWidget, WIDGET, type Widget } from './widget.js';

describe('WidgetController', () => {
  let app: NestFastifyApplication;
  let widget: Widget;
  beforeAll(async () => {
    widget = await readWidget();
    const made = await Test.createTestingModule({
      controllers: [WidgetController],
      providers: [{ provide: WIDGET, useValue: widget }],
    }).compile();
    app = made.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
    await app.init();
  });
  afterAll(() => app.close());

  const get = (url: string) => app.inject({ method: 'GET', url });

  it.each(['widget.js', 'altcha.js', 'altcha.css', 'pbkdf2.js'])(
    'answers %s with a file that any origin may load, cacheable without limit under its version',
    async (file) => {
      const { statusCode, headers, payload } = await get(`/assets/altcha/${widget.version}/${file}`);
      expect([statusCode, payload.length > 100]).toEqual([200, true]);
      expect(headers).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'content-type': file.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
      });
    },
  );

  it('answers the URL of another version with the current, uncacheable file', async () => {
    const { statusCode, headers } = await get('/assets/altcha/1.0.0/widget.js');
    expect([statusCode, headers['cache-control']]).toEqual([200, 'no-store']);
  });

  it.each(['index.html', '..%2f..%2fpackage.json', '__proto__', 'constructor', 'toString'])(
    'answers an error to the unknown file %s',
    async (file) => {
      expect((await get(`/assets/altcha/${widget.version}/${file}`)).statusCode).not.toBe(200);
    },
  );

  it('has a version that changes with the content of its files, because browsers cache them without limit', () => {
    const content = sha256(Buffer.concat([...widget.files.values()].map((file) => file.content)))
      .toString('hex')
      .slice(0, 16);
    expect([widget.version, content]).toEqual(['3.2.2-1', '8826ad2561c50f0b']);
  });
});
