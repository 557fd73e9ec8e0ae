type ChipProps = { value: string; error: string | null; onRemove: () => void }

export function Chip({ value, error, onRemove }: ChipProps) {
  return (
    <li className={error === null ? 'chip' : 'chip chip-wrong'}>
      <span>
        {value}
        {error !== null && <span className="visually-hidden"> {error}</span>}
      </span>
      <button type="button" onClick={onRemove}>
        <span aria-hidden="true">×</span>
        <span className="visually-hidden">Remove {value}</span>
      </button>
    </li>
  )
}
