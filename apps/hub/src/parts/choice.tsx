import { Button } from '@mantine/core';

interface Props<Option extends string> {
  /** For screen readers. */
  label: string;
  options: readonly Option[];
  value: Option;
  onChange: (option: Option) => void;
}

/** One of a few options, as a row of buttons. */
export function Choice<Option extends string>({ label, options, value, onChange }: Props<Option>) {
  return (
    <div role="group" aria-label={label}>
      <Button.Group>
        {options.map((option) => (
          <Button
            key={option}
            size="compact-sm"
            variant={option === value ? 'filled' : 'default'}
            aria-pressed={option === value}
            onClick={() => onChange(option)}
          >
            {option}
          </Button>
        ))}
      </Button.Group>
    </div>
  );
}
