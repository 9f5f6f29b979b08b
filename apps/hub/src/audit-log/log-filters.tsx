import { Button, Chip, CloseIcon, Group, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { outcomes, type FilterName, type LogFilter } from './log-search.ts';

const fields = [
  { name: 'action', text: 'auditLog.filterAction' },
  { name: 'actor', text: 'auditLog.filterActor' },
  { name: 'target', text: 'auditLog.filterTarget' },
] as const;

/** How a chip calls its filter. */
const titles = {
  action: 'auditLog.action',
  actor: 'auditLog.actor',
  target: 'auditLog.target',
  outcome: 'auditLog.outcome',
} as const;

interface Props {
  filter: LogFilter;
  /** An empty value removes a filter. */
  onChange: (name: FilterName, value: string) => void;
}

/** Fields to filter by, and a chip for each filter, which removes it. */
export function LogFilters({ filter, onChange }: Props) {
  const { t } = useTranslation();
  return (
    <>
      <Group align="flex-end">
        {fields.map(({ name, text }) => (
          <FilterField
            key={name}
            label={t(text)}
            value={filter[name] ?? ''}
            onChange={(value) => onChange(name, value)}
          />
        ))}
        <Group gap="xs" role="group" aria-label={t('auditLog.outcome')}>
          {outcomes.map((outcome) => (
            <Chip
              key={outcome}
              size="sm"
              checked={filter.outcome === outcome}
              onChange={(isChosen) => onChange('outcome', isChosen ? outcome : '')}
            >
              {t(`auditLog.${outcome}`)}
            </Chip>
          ))}
        </Group>
      </Group>
      <ActiveFilters filter={filter} onChange={onChange} />
    </>
  );
}

function ActiveFilters({ filter, onChange }: Props) {
  const { t } = useTranslation();
  const active = fields.flatMap(({ name }) => (filter[name] === undefined ? [] : [{ name, value: filter[name] }]));
  if (active.length === 0) return null;
  return (
    <Group gap="xs" role="group" aria-label={t('auditLog.filters')}>
      {active.map(({ name, value }) => (
        <Button
          key={name}
          size="compact-sm"
          radius="xl"
          variant="light"
          rightSection={<CloseIcon size="14" aria-hidden />}
          aria-label={t('auditLog.removeFilter', { filter: `${t(titles[name])} ${value}` })}
          onClick={() => onChange(name, '')}
        >
          <span>
            {t(titles[name])}: <bdi>{value}</bdi>
          </span>
        </Button>
      ))}
    </Group>
  );
}

interface FilterFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

/** Filters a moment after the last key, and follows a filter that something else has set or removed. */
function FilterField({ label, value, onChange }: FilterFieldProps) {
  const [typed, setTyped] = useState({ text: value, sent: value, known: value });
  const change = useDebouncedCallback((text: string) => {
    setTyped((before) => ({ ...before, sent: text.trim() }));
    onChange(text.trim());
  }, 400);
  // A value that this field has not sent came from a chip, from an entry, or from the buttons of the browser. What it
  // has sent must not replace what was typed since then.
  if (value !== typed.known) setTyped({ ...typed, known: value, text: value === typed.sent ? typed.text : value });
  return (
    <TextInput
      label={label}
      value={typed.text}
      onChange={(event) => {
        const text = event.currentTarget.value;
        setTyped({ ...typed, text });
        change(text);
      }}
    />
  );
}
