import { Inject, Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { CONFIG } from '@holdfast/service';
import type { GatewayConfig } from '../../config.js';
import { HeldResponses } from '../../edge/held-responses.js';

const gauge = new Gauge({
  name: 'holdfast_audit_streams',
  help: 'Readers of audit logs: streams, requests that wait for entries, and downloads of exports',
});

/** The readers of this gateway who follow a log or download a file. */
@Injectable()
export class AuditStreams extends HeldResponses {
  constructor(
    @Inject(CONFIG)
    config: Pick<
      GatewayConfig,
      'AUDIT_STREAMS_MAX' | 'AUDIT_STREAMS_MAX_PER_CALLER' | 'AUDIT_STREAMS_MAX_PER_ORGANIZATION'
    >,
  ) {
    super({
      max: config.AUDIT_STREAMS_MAX,
      maxPerCaller: config.AUDIT_STREAMS_MAX_PER_CALLER,
      maxPerOrganization: config.AUDIT_STREAMS_MAX_PER_ORGANIZATION,
      gauge,
      does: 'read the audit log',
      what: 'streams, waiting requests and downloads',
    });
  }
}
