import { useTranslation } from 'react-i18next';
import { accentColors } from '@holdfast/platform/accent-style';
import classes from './branding-preview.module.css';

interface Props {
  name: string;
  /** As it was typed. */
  color: string;
  logoPath: string | undefined;
}

/** The colour of Holdfast. */
const ours = '#0b57a4';

/** The head of a sign-in page and its button, in both themes, with the colours that the pages compute. */
export function BrandingPreview({ name, color, logoPath }: Props) {
  const { t } = useTranslation();
  const shown = /^#[0-9a-fA-F]{6}$/.test(color) ? color : ours;
  return (
    <div className={classes.themes}>
      {(['light', 'dark'] as const).map((theme) => {
        const { accent, onAccent, surface } = accentColors(shown, theme);
        const text = theme === 'light' ? '#17202b' : '#f3f6fa';
        return (
          <figure key={theme} className={classes.card} style={{ background: surface, color: text }}>
            <figcaption>{t(`organization.${theme}`)}</figcaption>
            <p className={classes.organization}>
              {logoPath === undefined ? (
                <span className={classes.initial} style={{ background: accent, color: onAccent }} aria-hidden>
                  {[...name.trim()][0]?.toUpperCase()}
                </span>
              ) : (
                <img className={classes.logo} src={logoPath} alt="" />
              )}
              <strong dir="auto">{name}</strong>
            </p>
            <p>{t('organization.previewTitle')}</p>
            <span className={classes.button} style={{ background: accent, color: onAccent }}>
              {t('organization.previewButton')}
            </span>
          </figure>
        );
      })}
    </div>
  );
}
