import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { endpoint } from '@holdfast/contracts/http';
import { AppError } from '@holdfast/platform';
import { Route } from '../endpoints/route.js';
import { WIDGET, type Widget } from './widget.js';

const widgetEndpoint = endpoint({
  id: 'getPresenceWidget',
  method: 'GET',
  public: 'static files, the same for everybody',
  limit: 'page',
  path: '/assets/altcha/{version}/{file}',
  tag: 'Proof of presence',
  unrecorded: 'static files, the same for everybody',
  summary: 'The widget for sign-up forms',
  description:
    '`widget.js` (a module) and `altcha.css` are for pages of any origin; docs/presence.md shows how to load them. ' +
    'The URL of another version gets the current files, which may then not be cached.',
  params: z.object({
    version: z.string().describe('Version of the widget'),
    file: z.enum(['widget.js', 'altcha.js', 'altcha.css', 'pbkdf2.js']).describe('Name of the file'),
  }),
  responses: {
    200: { description: 'The file', headers: { 'Access-Control-Allow-Origin': '`*`: modules are loaded by CORS' } },
  },
  errors: ['not_found'],
});

/** Self-hosted, so that a sign-up form reveals its visitors to no third party. */
@Controller()
export class WidgetController {
  constructor(@Inject(WIDGET) private readonly widget: Widget) {}

  @Route(widgetEndpoint)
  file(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const { version, file } = request.params as { version: string; file: string };
    const found = this.widget.files.get(file);
    if (!found) throw new AppError('not_found');
    const cacheControl = version === this.widget.version ? 'public, max-age=31536000, immutable' : 'no-store';
    void reply
      .headers({
        'cache-control': cacheControl,
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
      })
      .type(found.type)
      .send(found.content);
  }
}
