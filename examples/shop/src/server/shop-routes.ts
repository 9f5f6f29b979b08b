import type { FastifyPluginAsync } from 'fastify';
import { accountRoutes } from '../pages/account.ts';
import { noStaffAreaRoutes } from '../pages/no-staff-area.ts';
import { signUpRoutes } from '../pages/sign-up.ts';
import { staffRoutes } from '../pages/staff.ts';
import { startRoutes } from '../pages/start.ts';
import type { Shop } from '../shop.ts';
import { areaRoutes } from './area-routes.ts';

interface ShopRouteOptions {
  shop: Shop;
  sessionSecret: string;
  secureCookie: boolean;
}

/**
 * All routes of one shop, below its path. Each shop has its own session cookies, so browsers can use several at once.
 */
export const shopRoutes: FastifyPluginAsync<ShopRouteOptions> = async (app, { shop, sessionSecret, secureCookie }) => {
  const options = { sessionSecret, secureCookie };
  app.decorate('shop', shop);
  const pages = [startRoutes, signUpRoutes, accountRoutes];
  if (!shop.staff) pages.push(noStaffAreaRoutes);
  await app.register(areaRoutes, { ...options, area: shop.customers, pages });
  if (shop.staff)
    await app.register(areaRoutes, { ...options, area: shop.staff, pages: [staffRoutes], prefix: '/staff' });
};

declare module 'fastify' {
  interface FastifyInstance {
    /** The shop that a route belongs to. */
    shop: Shop;
  }
}
