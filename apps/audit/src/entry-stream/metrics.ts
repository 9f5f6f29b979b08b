import { Counter, Gauge } from 'prom-client';

export const unpublishedEntries = new Gauge({
  name: 'holdfast_audit_stream_unpublished_entries',
  help: 'Entries of the audit logs that somebody reads in the stream of entries, and that it does not have yet',
});
export const publishedEntries = new Counter({
  name: 'holdfast_audit_stream_published_total',
  help: 'Entries that were published to the stream of entries',
});
