import { Link, useLocation } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useMe } from '../api/me.ts';
import classes from './area-tabs.module.css';
import { areasOf, type ScreenEntry } from './areas.ts';

/** The other screens of the area of this one, above its title. */
export function AreaTabs({ of }: { of: ScreenEntry['to'] }) {
  const { t } = useTranslation();
  const { operations } = useMe();
  const { pathname } = useLocation();
  const area = areasOf(operations).find(({ screens }) => screens.some(({ to }) => to === of));
  if (!area || area.screens.length < 2) return undefined;
  return (
    <nav aria-label={t(area.text)} className={classes.tabs}>
      {area.screens.map(({ to, text }) => (
        <Link key={to} to={to} className={classes.tab} aria-current={pathname.endsWith(to) ? 'page' : undefined}>
          {t(text)}
        </Link>
      ))}
    </nav>
  );
}
