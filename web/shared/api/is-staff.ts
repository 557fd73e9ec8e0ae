/** Support and administrators see the pages of the staff. The service checks each request. */
export function isStaff({ role }: { role: string }): boolean {
  return role === 'admin' || role === 'support'
}
