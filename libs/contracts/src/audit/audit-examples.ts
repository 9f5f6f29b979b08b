import type { AuditEvent } from './audit-record.js';
import type { ExportedAuditEntry } from './exported-entries.js';
import type { AuditProof } from './proofs.js';

/** The last event of a log of three, with a proof that audit-examples.spec.ts of the gateway verifies. */
export const auditId = '019aa5f2-7c1f-7a42-b1c3-2d0e9f8a7b03';
const entryHash = 'V82og+MiUl1BniCtXdzzVnS/AztyTDS8uO2dmJTCAKw=';
const siblingHash = 'WkdmL9ijF9lgSaP59HxV3GfKZgUbqjaD27GbL+CaB7A=';

export const verifierKey = 'id.example/o/acme/audit+0dbc4ef4+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c';
export const checkpoint =
  'id.example/o/acme/audit\n3\nysLwaekKno+4WPH2s0FcsvSMV4gRqNUV7GLjwS7bcGQ=\n\n' +
  '— id.example/o/acme/audit ' +
  'DbxO9G/HR4em6W+iIOq10q9+46BdPl56D12O3de9GExTh21h5I76fyveYzY57/qYYyQ7CHAXyzdlGICJoEGAl/SOYQU=\n';

export const proof: AuditProof = {
  id: auditId,
  seq: 3,
  leaf:
    'eyJpZCI6IjAxOWFhNWYyLTdjMWYtN2E0Mi1iMWMzLTJkMGU5ZjhhN2IwMyIsIm9jY3VycmVkQXQiOiIyMDI2LTExLTIxVDA5OjMw' +
    'OjAwLjAwMFoiLCJhY3Rpb24iOiJvZmZlci5jcmVhdGUiLCJhY3RvciI6eyJ0eXBlIjoiYXBwIiwiaWQiOiJhcHBfMlZ3VDlRbTF4' +
    'S2M3THJaNGJOZDhZYSIsIm5hbWUiOiJzaG9wIn0sInRhcmdldHMiOlt7InR5cGUiOiJjdXN0b21lciIsImlkIjoiN1BaTWVDQmJo' +
    'TS1wbDJEYUF6TmtHQSJ9LHsidHlwZSI6Im9mZmVyIiwiaWQiOiJ5b1ZlUXFHaFlRZzM1bFEyWEJqelZnIn1dLCJvdXRjb21lIjp7' +
    'InJlc3VsdCI6InN1Y2Nlc3MiLCJzdGF0dXMiOjIwMX0sInJlcXVlc3QiOnsiaWQiOiIwMTlhYTVmMi03YzFlLTdiM2EtOWQ1NC0w' +
    'YzJmMWYzZThhNzciLCJ0cmFjZXBhcmVudCI6IjAwLTRiZjkyZjM1NzdiMzRkYTZhM2NlOTI5ZDBlMGU0NzM2LTAwZjA2N2FhMGJh' +
    'OTAyYjctMDEiLCJtZXRob2QiOiJQT1NUIiwicm91dGUiOiIvby97c2hvcnRJZH0vYXBpL2NyZWRlbnRpYWxzL29mZmVycyJ9fQ==',
  hashes: [siblingHash],
  checkpoint,
};

export const proofFile = `c2sp.org/tlog-proof@v1\nextra ${proof.leaf}\nindex 2\n${siblingHash}\n\n${checkpoint}`;

export const entry: ExportedAuditEntry = {
  seq: 3,
  leaf: proof.leaf,
  leafHash: entryHash,
  found: {
    id: auditId,
    occurredAt: '2026-11-21T09:30:00.000Z',
    action: 'offer.create',
    actor: 'app_2VwT9Qm1xKc7LrZ4bNd8Ya',
    outcome: 'success',
    targets: ['7PZMeCBbhM-pl2DaAzNkGA', 'yoVeQqGhYQg35lQ2XBjzVg'],
  },
  names: [
    {
      pseudonym: '7PZMeCBbhM-pl2DaAzNkGA',
      value: '5b0c9f0e-3f0a-4c39-9a35-6d3c1f5d7a10',
      salt: 'AgICAgICAgICAgICAgICAg==',
    },
    {
      pseudonym: 'yoVeQqGhYQg35lQ2XBjzVg',
      value: '019aa5f2-7c1e-7e31-a0b2-1c9d8e7f6a02',
      salt: 'AwMDAwMDAwMDAwMDAwMDAw==',
    },
  ],
};

export const auditEventExample: AuditEvent = {
  id: auditId,
  seq: 3,
  occurredAt: '2026-11-21T09:30:00.000Z',
  action: 'offer.create',
  actor: { type: 'app', id: 'app_2VwT9Qm1xKc7LrZ4bNd8Ya', name: 'shop' },
  targets: [
    { type: 'customer', id: '5b0c9f0e-3f0a-4c39-9a35-6d3c1f5d7a10' },
    { type: 'offer', id: '019aa5f2-7c1e-7e31-a0b2-1c9d8e7f6a02' },
  ],
  outcome: { result: 'success', status: 201 },
  request: {
    id: '019aa5f2-7c1e-7b3a-9d54-0c2f1f3e8a77',
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    method: 'POST',
    route: '/o/{shortId}/api/credentials/offers',
  },
};
