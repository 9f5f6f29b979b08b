import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { maxStreamsOfOrganization, maxStreamsOfReceiver } from '@holdfast/contracts';
import { HeldResponses } from '../edge/held-responses.js';

const gauge = new Gauge({ name: 'holdfast_ssf_polls', help: 'Polls of security events that wait for tokens' });

/** The polls that this gateway holds: of each stream two, so that the next one may begin before the last one ends. */
@Injectable()
export class HeldPolls extends HeldResponses {
  constructor() {
    super({
      max: 2000,
      maxPerCaller: 2 * maxStreamsOfReceiver,
      maxPerOrganization: 2 * maxStreamsOfOrganization,
      gauge,
      does: 'poll',
      what: 'requests that wait',
    });
  }
}
