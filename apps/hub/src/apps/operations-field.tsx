import { Checkbox, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { grantable, type AppKind, type Operation } from '@holdfast/contracts';

interface Props {
  kind: AppKind;
  value: string[];
  onChange: (operations: string[]) => void;
  description: string;
  error?: string | undefined;
  disabled?: boolean;
}

/** The operations that an app of this kind may be granted, each with what it allows. */
export function OperationsField({ kind, value, onChange, description, error, disabled = false }: Props) {
  const { t } = useTranslation();
  return (
    <Checkbox.Group
      label={t('newApp.operations')}
      description={description}
      value={value}
      onChange={onChange}
      error={error}
      disabled={disabled}
    >
      <Stack gap="xs" mt="xs">
        {grantable(kind).map((operation: Operation) => (
          <Checkbox key={operation} value={operation} label={operation} description={t(`operation.${operation}`)} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
