import { CopyButton } from '../shared/components/CopyButton.tsx'

/** A line of code for the reader to copy. The name is that of the program. */
export function CopyLine({ name, line }: { name: string; line: string }) {
  return (
    <div className="copy-line">
      <span className="soft">{name}</span>
      <code>{line}</code>
      <CopyButton className="text-button" text={line} about={`for ${name}`} advice="Select the line and copy it." />
    </div>
  )
}
