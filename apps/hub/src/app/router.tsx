import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { hubPath } from '../api/organization.ts';
import { queryClient } from '../api/query-client.ts';
import { logSearchOf } from '../audit-log/log-search.ts';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { NotFound } from './not-found.tsx';
import { Shell } from './shell.tsx';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('../overview/overview-screen.tsx'), 'OverviewScreen'),
});
const apps = createRoute({
  getParentRoute: () => root,
  path: '/apps',
  component: lazyRouteComponent(() => import('../apps/apps-screen.tsx'), 'AppsScreen'),
});
const newApp = createRoute({
  getParentRoute: () => root,
  path: '/apps/new',
  component: lazyRouteComponent(() => import('../apps/new-app-screen.tsx'), 'NewAppScreen'),
});
const app = createRoute({
  getParentRoute: () => root,
  path: '/apps/$clientId',
  component: lazyRouteComponent(() => import('../apps/app-screen.tsx'), 'AppScreen'),
});

const people = createRoute({
  getParentRoute: () => root,
  path: '/people',
  component: lazyRouteComponent(() => import('../people/people-screen.tsx'), 'PeopleScreen'),
});
const invite = createRoute({
  getParentRoute: () => root,
  path: '/people/invite',
  component: lazyRouteComponent(() => import('../people/invite-screen.tsx'), 'InviteScreen'),
});
const person = createRoute({
  getParentRoute: () => root,
  path: '/people/$user',
  component: lazyRouteComponent(() => import('../people/person-screen.tsx'), 'PersonScreen'),
});
const organization = createRoute({
  getParentRoute: () => root,
  path: '/organization',
  component: lazyRouteComponent(() => import('../organization/organization-screen.tsx'), 'OrganizationScreen'),
});
const auditLog = createRoute({
  getParentRoute: () => root,
  path: '/audit-log',
  validateSearch: logSearchOf,
  component: lazyRouteComponent(() => import('../audit-log/audit-log-screen.tsx'), 'AuditLogScreen'),
});

export const router = createRouter({
  routeTree: root.addChildren([overview, apps, newApp, app, people, invite, person, auditLog, organization]),
  basepath: hubPath,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: ({ error, reset }) => <ProblemNotice error={error} onRetry={() => retry(reset)} />,
});

/** What could not be read is read again. */
function retry(reset: () => void): void {
  void queryClient.resetQueries({ predicate: ({ state }) => state.status === 'error' });
  reset();
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
