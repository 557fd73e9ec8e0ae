export function Monogram({ name }: { name: string }) {
  return (
    <span className="monogram" aria-hidden="true">
      {[...name.trim()][0]?.toUpperCase()}
    </span>
  )
}
