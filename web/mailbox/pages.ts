import { Mailbox } from './Mailbox.tsx'

export const pages = { Mailbox }
