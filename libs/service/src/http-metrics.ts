import { Counter, Gauge } from 'prom-client';
import { LatencyHistogram } from '@holdfast/platform';

/**
 * Rate, errors and duration of HTTP requests. Every label has a closed list of values, none of them sent by clients.
 */
export const requestSeconds = new LatencyHistogram({
  name: 'holdfast_http_request_seconds',
  help: 'Time from the headers of a request to the end of its response, by route template, method and class of status',
  labelNames: ['route', 'method', 'status_class'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
});

export const requestsTotal = new Counter({
  name: 'holdfast_http_requests_total',
  help: 'Requests by route template, method, status (499: the client closed the connection) and class of organization',
  labelNames: ['route', 'method', 'status', 'organization'],
});

export const requestErrors = new Counter({
  name: 'holdfast_http_errors_total',
  help: 'Error responses by code; 5xx with the dependency that failed and the cause',
  labelNames: ['route', 'status', 'code', 'dependency', 'cause'],
});

export const requestsInFlight = new Gauge({
  name: 'holdfast_http_requests_in_flight',
  help: 'HTTP requests without a response yet',
});

export const accessLogLinesSummarized = new Counter({
  name: 'holdfast_access_log_lines_summarized_total',
  help: 'Requests without an access line of their own, because there were too many of their class',
  labelNames: ['status_class'],
});
