import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { hubPath } from '../api/organization.ts';
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

const auditLog = createRoute({
  getParentRoute: () => root,
  path: '/audit-log',
  validateSearch: logSearchOf,
  component: lazyRouteComponent(() => import('../audit-log/audit-log-screen.tsx'), 'AuditLogScreen'),
});

export const router = createRouter({
  routeTree: root.addChildren([overview, apps, newApp, app, auditLog]),
  basepath: hubPath,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: ({ error, reset }) => <ProblemNotice error={error} onRetry={reset} />,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
