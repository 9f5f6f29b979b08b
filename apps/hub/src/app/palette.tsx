import { Combobox, TextInput, useCombobox } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RoleOperation } from '@holdfast/contracts';
import { areasOf } from '../parts/areas.ts';
import { Dialog } from '../parts/dialog.tsx';
import { destinationOf } from './palette-destinations.ts';

interface Props {
  held: readonly RoleOperation[];
  onClose: () => void;
}

/** Goes to any screen, begins what the roles allow, or opens an object by its ID. */
export function Palette({ held, onClose }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const combobox = useCombobox({ opened: true });
  const [input, setInput] = useState('');
  const begins = [
    { to: '/customers/new', text: t('customers.newOffer'), needs: 'offers:write' },
    { to: '/apps/new', text: t('apps.newApp'), needs: 'apps:manage' },
    { to: '/people/invite', text: t('people.invite'), needs: 'users:manage' },
  ] as const;
  const all = [
    ...areasOf(held).flatMap(({ screens }) => screens.map(({ to, text }) => ({ to, text: t(text) }))),
    ...begins.filter(({ needs }) => held.includes(needs)),
  ];
  const typed = input.trim();
  const object = destinationOf(typed);
  const found = [
    ...(object === undefined ? [] : [{ to: object, text: t('palette.open', { id: typed }) }]),
    ...all.filter(({ text }) => text.toLowerCase().includes(typed.toLowerCase())),
  ];
  const go = (to: string) => {
    onClose();
    void navigate({ to });
  };
  return (
    <Dialog opened onClose={onClose} title={t('shell.goTo')}>
      <Combobox store={combobox} onOptionSubmit={go} withinPortal={false}>
        <Combobox.EventsTarget>
          <TextInput
            label={t('palette.find')}
            value={input}
            data-autofocus
            onChange={(event) => {
              setInput(event.currentTarget.value);
              combobox.selectFirstOption();
            }}
          />
        </Combobox.EventsTarget>
        <Combobox.Options aria-label={t('shell.goTo')} mt="sm">
          {found.map(({ to, text }) => (
            <Combobox.Option key={to} value={to}>
              {text}
            </Combobox.Option>
          ))}
          {found.length === 0 && <Combobox.Empty>{t('palette.none')}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox>
    </Dialog>
  );
}
