const headers = [
  { key: 'content-security-policy', value: "base-uri 'none'; frame-ancestors 'none'" },
  { key: 'referrer-policy', value: 'no-referrer' },
  { key: 'x-content-type-options', value: 'nosniff' },
];

export default {
  poweredByHeader: false,
  headers: () => [{ source: '/:path*', headers }],
};
