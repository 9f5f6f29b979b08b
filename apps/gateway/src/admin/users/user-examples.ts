const id = '7d8f3a52-4a0e-4f0b-9d0c-2f6b1c9e5a34';

export const userExample = {
  id,
  email: 'ann@example.com',
  name: 'Ann Lee',
  status: 'active',
  roles: ['admin'],
  createdAt: '2026-11-21T09:30:00.000Z',
  lastSignInAt: '2026-11-22T08:15:00.000Z',
};

export const invitationExample = {
  user: {
    id,
    email: 'ann@example.com',
    name: 'Ann Lee',
    status: 'invited',
    roles: ['admin'],
    createdAt: '2026-11-21T09:30:00.000Z',
    invitation: { expiresAt: '2026-11-24T09:30:00.000Z', recovery: false },
  },
  invitationUrl: 'https://id.example/o/acme/invitation#vQ3mB0yq1Tn8d5cJ7wX2kZ9rLhFpEsGaUoNiYtRbVxM',
};

export const passkeyExample = {
  id: 'e0c1b7a4-1f5d-4c52-8d6e-9a3b7c5d2f10',
  name: 'Work laptop',
  synced: true,
  createdAt: '2026-11-21T09:32:00.000Z',
  lastUsedAt: '2026-11-22T08:15:00.000Z',
};
