// Knows provisioners by their names: which CSI driver does the work, and what their volumes can do.

/** Old provisioners have names with a slash. CSI drivers took over those of Kubernetes itself. */
const successors: Readonly<Record<string, string>> = {
  "kubernetes.io/aws-ebs": "ebs.csi.aws.com",
  "kubernetes.io/azure-disk": "disk.csi.azure.com",
  "kubernetes.io/azure-file": "file.csi.azure.com",
  "kubernetes.io/cinder": "cinder.csi.openstack.org",
  "kubernetes.io/gce-pd": "pd.csi.storage.gke.io",
  "kubernetes.io/portworx-volume": "pxd.portworx.com",
  "kubernetes.io/vsphere-volume": "csi.vsphere.vmware.com",
};

/** Undefined for provisioners that are no CSI drivers: local-path, NFS subfolders, no provisioner at all. */
export function csiDriverOf(provisioner: string): string | undefined {
  if (Object.hasOwn(successors, provisioner)) return successors[provisioner];
  return provisioner.includes("/") || provisioner === "" ? undefined : provisioner;
}

export function isEbs(provisioner: string): boolean {
  return provisioner === "ebs.csi.eks.amazonaws.com" || csiDriverOf(provisioner) === "ebs.csi.aws.com";
}

export const efs = "efs.csi.aws.com";

/** These clouds encrypt every disk, and nothing turns that off. */
export function isAlwaysEncrypted(provisioner: string): boolean {
  return alwaysEncrypted.includes(csiDriverOf(provisioner) ?? "");
}

const alwaysEncrypted: readonly string[] = [
  "pd.csi.storage.gke.io",
  "filestore.csi.storage.gke.io",
  "disk.csi.azure.com",
  "file.csi.azure.com",
  "blockvolume.csi.oraclecloud.com",
  "fss.csi.oraclecloud.com",
];

/** Several nodes may write to one of its volumes. */
export function isRwxCapable(provisioner: string, parameters: Readonly<Record<string, string>>): boolean {
  const driver = csiDriverOf(provisioner) ?? provisioner;
  if (driver === efs) return parameters["provisioningMode"] === "efs-ap";
  return rwxDrivers.includes(driver) || /(^|[./-])(nfs|cephfs|glusterfs)([./-]|$)/.test(driver);
}

const rwxDrivers: readonly string[] = [
  "azurefile.csi.azure.com",
  "driver.longhorn.io",
  "file.csi.azure.com",
  "filestore.csi.storage.gke.io",
  "fsx.csi.aws.com",
  "fss.csi.oraclecloud.com",
  "lustre.csi.storage.gke.io",
  "pxd.portworx.com",
  "weka.csi.weka.io",
];
