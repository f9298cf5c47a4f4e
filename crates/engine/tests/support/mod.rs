//! What the properties, the soak and the fuzz targets share.

pub(crate) mod hostile;
pub(crate) mod prefix;
pub(crate) mod reading;
pub(crate) mod recorder;
