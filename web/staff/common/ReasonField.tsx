import { TextField } from '../../shared/forms/TextField.tsx'

type ReasonFieldProps = { hint?: string; missing: string; lengthMaximum: number }

/** Why staff act on a user. A change of several users shows refusals away from the field, so it checks the length. */
export function ReasonField({ missing, lengthMaximum, ...field }: ReasonFieldProps) {
  function check(reason: string): string | null {
    const { length } = [...reason.trim()]
    if (length === 0) return missing
    return length > lengthMaximum ? `Use at most ${lengthMaximum} characters.` : null
  }

  return <TextField name="reason" label="Reason" content="sentence" autoComplete="off" check={check} {...field} />
}

export const FOR_AUDIT_LOG = 'Say why: it is written to the audit log.'
