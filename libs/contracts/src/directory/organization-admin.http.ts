import type { AuditTarget } from '../audit/audit-record.js';
import { http } from '../http/forwarded.js';
import { adminGetOrganization, adminUpdateOrganization, type OwnOrganization } from './organization-admin.js';

const path = '/o/{shortId}/api/admin/organization';
const tag = 'Admin API: organization';
const operation = 'organization:manage';

const targets = ({ params: { shortId } }: { params: { shortId: string } }): AuditTarget[] => [
  { type: 'organization', id: shortId },
];

const example: OwnOrganization = {
  shortId: 'acme',
  name: 'Acme',
  startUrl: 'https://shop.example/',
  helpUrl: 'https://shop.example/help',
  accentColor: '#0b57a4',
  logoPath: '/o/acme/logos/9f86d081884c7d659a2feaa0c55ad015',
  version: 4,
};

export const organizationEndpoints = [
  http(adminGetOrganization, {
    id: 'getOrganization',
    method: 'GET',
    path,
    tag,
    summary: 'Get the organization',
    description: 'Its name, and what its pages show: addresses for customers, accent colour and logo.',
    operation,
    action: 'organization.read',
    versioned: true,
    response: 'The organization',
    example,
    targets,
  }),
  http(adminUpdateOrganization, {
    id: 'updateOrganization',
    method: 'PATCH',
    path,
    tag,
    summary: 'Change the organization',
    description:
      'Changes its name and what its pages show. Pages show the change within a second. A logo is a PNG image in ' +
      'base64; Holdfast decodes it and serves its pixels from its own origin. With `If-Match` nothing is changed ' +
      'unless the organization still has that version.',
    operation,
    action: 'organization.update',
    // Customers follow its addresses, and trust its name.
    stepUp: true,
    body: 'changes',
    bodies: {
      colors: {
        summary: 'Colour and help address',
        value: { accentColor: '#0b57a4', helpUrl: 'https://shop.example/help' },
      },
    },
    versioned: true,
    response: 'The organization after the change',
    member: 'organization',
    example,
    targets,
  }),
];
